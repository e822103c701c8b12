#pragma once

// What nvdisasm of CUDA 11.8 printed (--print-code --no-dataflow), cut down to some of the lines.
constexpr const char* kHopper = R"sass(	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
	.elftype	@"ET_EXEC"


//--------------------- .text.k                   --------------------------
	.section	.text.k,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=1"
	.align	128
        .global         k
        .type           k,@function
        .size           k,(.L_x_5 - k)
        .other          k,@"STO_CUDA_ENTRY STV_DEFAULT"
k:
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   ULDC UR4, c[0x0][0x0] ;
        /*0020*/                   S2R R3, SR_CTAID.X ;
        /*0080*/                   IMAD R3, R3, UR4, R10 ;
        /*0090*/                   ISETP.GE.AND P0, PT, R3, R0, PT ;
        /*00f0*/              @!P0 LDG.E R4, [R4.64] ;
        /*0100*/              @!P0 IMAD.MOV.U32 R7, RZ, RZ, 0x3bbb989d ;
        /*0180*/              @!P0 FFMA.SAT R2, R4, R7, 0.5 ;
        /*0200*/              @!P0 MUFU.EX2 R7, R7 ;
        /*0220*/                   STS [R11], R2 ;
        /*0230*/                   BAR.SYNC 0x0 ;
        /*0280*/                   LDS R6, [R6+UR4] ;
        /*0290*/                   HFMA2 R5, R5.H0_H0, R5.H0_H0, R5.H0_H0 ;
        /*0310*/                   HFMA2.MMA R10, -RZ, RZ, 0, 0 ;
.L_x_2:
        /*0400*/                   STL [R15], R10 ;
        /*0480*/               @P1 BRA `(.L_x_2) ;
.L_x_0:
        /*0540*/                   LOP3.LUT R0, R7, 0xfc, RZ, 0xc0, !PT ;
        /*0550*/                   HADD2.F32 R5, -RZ, R5.H0_H0 ;
        /*0580*/                   LDL R0, [R0] ;
        /*0590*/                   F2F.F64.F32 R6, R6 ;
        /*05a0*/                   F2F.F64.F32 R4, R5 ;
        /*05b0*/                   I2F.F64 R2, R0 ;
        /*05c0*/                   DFMA R2, R6, 0.5, R2 ;
        /*05d0*/                   DADD R2, R2, R4 ;
        /*05e0*/                   REDG.E.ADD.F64.RN.STRONG.GPU [R8.64], R2 ;
        /*05f0*/                   EXIT ;
.L_x_4:
        /*0600*/                   BRA `(.L_x_4);
        /*0610*/                   NOP;
        /*0620*/                   NOP;
.L_x_5:
)sass";

constexpr const char* kPascal = R"sass(k:
.text.k:
        /*0008*/                   MOV R1, c[0x0][0x20] ;
        /*0010*/         {         MOV R11, c[0x0][0x158] ;
        /*0018*/                   S2R R0, SR_CTAID.X         }
        /*0028*/         {         IADD32I R1, R1, -0x100 ;
        /*0030*/                   S2R R2, SR_TID.X         }
        /*0038*/                   XMAD R3, R0, c[0x0] [0x8], RZ ;
        /*0190*/         {         HFMA2 R6, R6.H0_H0, R6.H0_H0, R6.H0_H0 ;
        /*0198*/              @!P0 BRA `(.L_x_0)         }
)sass";
