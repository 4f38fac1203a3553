int bd_x(void); 
